import { ActionIcon, AppShell, Burger, Kbd, Menu, Tooltip, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  IconApi,
  IconCpu,
  IconKeyboard,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconLogout,
  IconPlugConnected,
  IconSearch,
  IconServer2,
  IconSitemap,
  IconUser,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

import { api, onSignedOut } from "../api/client";
import { keys } from "../api/queries";
import { Waiting } from "../ui/parts";
import { LiveDot } from "./LiveDot";
import { LiveProvider } from "./LiveProvider";
import { LanguageSwitch, ThemeSwitch } from "./Preferences";
import { RangeSwitch, ScopeSwitcher } from "./Scope";
import { useMay, useMe, useSignOut } from "./session";
import { useShortcuts } from "./shortcuts";

const ShortcutSheet = lazy(() => import("./ShortcutSheet").then((module) => ({ default: module.ShortcutSheet })));
const Palette = lazy(() => import("./Palette").then((module) => ({ default: module.Palette })));

const GROUPS = [
  {
    key: "pool",
    pages: [
      { to: "/", key: "overview", icon: IconLayoutDashboard, permission: "devices.read" },
      { to: "/nodes", key: "nodes", icon: IconServer2, permission: "nodes.read" },
      { to: "/devices", key: "devices", icon: IconCpu, permission: "devices.read" },
    ],
  },
  {
    key: "work",
    pages: [
      { to: "/jobs", key: "jobs", icon: IconListDetails, permission: "jobs.read" },
      { to: "/queues", key: "queues", icon: IconSitemap, permission: "queues.read" },
    ],
  },
  {
    key: "settings",
    pages: [
      { to: "/enrolment", key: "enrolment", icon: IconPlugConnected, permission: "enrolment.write" },
      { to: "/tokens", key: "tokens", icon: IconKey, permission: "jobs.read" },
    ],
  },
] as const;

export function Shell() {
  const queryClient = useQueryClient();
  const router = useRouter();
  const toSignIn = useCallback(() => {
    const { pathname, href } = router.state.location;
    if (pathname === "/sign-in") return;
    // What is on screen needs to know who is signed in until it is gone.
    void router.navigate({ to: "/sign-in", search: { next: href } }).then(() => {
      queryClient.setQueryData(keys.me, null);
    });
  }, [queryClient, router]);
  useEffect(() => onSignedOut(toSignIn), [toSignIn]);
  const signedIn = queryClient.getQueryData(keys.me) !== null;
  if (!signedIn) return null;
  return (
    <LiveProvider onSignedOut={toSignIn}>
      <Frame />
    </LiveProvider>
  );
}

function Frame() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [menuOpen, menu] = useDisclosure(false);
  const [sheetOpen, sheet] = useDisclosure(false);
  const [paletteWanted, setPaletteWanted] = useState(false);
  const openPalette = useCallback(() => {
    setPaletteWanted(true);
    void import("./Palette").then((module) => {
      module.openPalette();
    });
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      openPalette();
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
    };
  }, [openPalette]);
  useShortcuts({
    "g o": () => void navigate({ to: "/" }),
    "g n": () => void navigate({ to: "/nodes" }),
    "g d": () => void navigate({ to: "/devices" }),
    "g w": () => void navigate({ to: "/jobs" }),
    "g q": () => void navigate({ to: "/queues" }),
    "?": sheet.toggle,
    "/": () => document.querySelector<HTMLInputElement>("[data-filter-focus]")?.focus(),
  });
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 184, breakpoint: "sm", collapsed: { mobile: !menuOpen } }}
      padding={0}
    >
      <a href="#main" className="skip">
        {t("shell.skip")}
      </a>
      <AppShell.Header className="topbar">
        <Burger opened={menuOpen} onClick={menu.toggle} hiddenFrom="sm" size="sm" aria-label={t("shell.menu")} />
        <Link to="/" className="brand" aria-label={t("shell.home")}>
          <img src="/vast.svg" alt="" width={22} height={22} />
          <span>{t("shell.brand")}</span>
        </Link>
        <div className="topscope">
          <ScopeSwitcher />
          <RangeSwitch />
        </div>
        <UnstyledButton className="searchbox" onClick={openPalette}>
          <IconSearch size={14} aria-hidden />
          <span>{t("palette.open")}</span>
          <Kbd size="xs">{t("palette.keys")}</Kbd>
        </UnstyledButton>
        <LiveDot />
        <LanguageSwitch
          onChange={(language) => {
            // Also where mails and other browsers find it; the console has it already.
            void api.PATCH("/api/v1/me/", { body: { language } });
          }}
        />
        <ThemeSwitch />
        <UserMenu onShortcuts={sheet.open} />
      </AppShell.Header>
      <AppShell.Navbar className="rail" aria-label={t("shell.pages")}>
        <Rail onGo={menu.close} />
        <div className="railscope">
          <ScopeSwitcher />
          <RangeSwitch />
        </div>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Suspense fallback={<Waiting />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
      {paletteWanted && (
        <Suspense fallback={null}>
          <Palette />
        </Suspense>
      )}
      {sheetOpen && (
        <Suspense fallback={null}>
          <ShortcutSheet onClose={sheet.close} />
        </Suspense>
      )}
    </AppShell>
  );
}

function Rail({ onGo }: { onGo: () => void }) {
  const { t } = useTranslation();
  const may = useMay();
  return (
    <nav aria-label={t("shell.pages")}>
      {GROUPS.map((group) => (
        <div key={group.key} className="railgroup">
          <span className="railhead">{t(`nav.group.${group.key}`)}</span>
          {group.pages
            .filter((page) => may(page.permission))
            .map(({ to, key, icon: Icon }) => (
              <Link
                key={key}
                to={to}
                className="raillink"
                activeOptions={{ exact: to === "/", includeSearch: false }}
                onClick={onGo}
              >
                <Icon size={17} stroke={1.7} aria-hidden />
                {t(`nav.${key}`)}
              </Link>
            ))}
        </div>
      ))}
    </nav>
  );
}

function UserMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const { t } = useTranslation();
  const me = useMe();
  const navigate = useNavigate();
  const signOut = useSignOut();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Tooltip label={me.username}>
          <ActionIcon variant="subtle" color="gray" aria-label={t("shell.user", { name: me.username })}>
            <IconUser size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me.display_name || me.username}</Menu.Label>
        <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={() => void navigate({ to: "/tokens" })}>
          {t("nav.tokens")}
        </Menu.Item>
        <Menu.Item leftSection={<IconApi size={16} aria-hidden />} component="a" href="/api/v1/docs/">
          {t("nav.apiDocs")}
        </Menu.Item>
        <Menu.Item leftSection={<IconKeyboard size={16} aria-hidden />} onClick={onShortcuts}>
          {t("shortcuts.title")}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOut()}>
          {t("shell.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
