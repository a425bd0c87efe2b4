import { ActionIcon, Menu, Tooltip, useMantineColorScheme } from "@mantine/core";
import { IconCheck, IconDeviceDesktop, IconLanguage, IconMoon, IconSun } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

import { chooseLanguage, LANGUAGES, type Language } from "../i18n";

const SCHEMES = { auto: IconDeviceDesktop, light: IconSun, dark: IconMoon } as const;
type Scheme = keyof typeof SCHEMES;
/** Each language under its own name, in whatever language the page is. */
const OWN_NAMES: Record<Language, string> = { en: "English", zh: "中文" };

export function LanguageSwitch({ onChange }: { onChange?: (language: Language) => void }) {
  const { t, i18n } = useTranslation();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Tooltip label={t("shell.language")}>
          <ActionIcon variant="subtle" color="gray" aria-label={t("shell.language")}>
            <IconLanguage size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {LANGUAGES.map((language) => (
          <Menu.Item
            key={language}
            lang={language}
            rightSection={i18n.language === language ? <IconCheck size={14} aria-hidden /> : null}
            onClick={() => {
              void chooseLanguage(language);
              onChange?.(language);
            }}
          >
            {OWN_NAMES[language]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

export function ThemeSwitch() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Current = SCHEMES[colorScheme];
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Tooltip label={t("shell.theme")}>
          <ActionIcon variant="subtle" color="gray" aria-label={t("shell.theme")}>
            <Current size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(SCHEMES) as Scheme[]).map((scheme) => {
          const Icon = SCHEMES[scheme];
          return (
            <Menu.Item
              key={scheme}
              leftSection={<Icon size={16} aria-hidden />}
              rightSection={colorScheme === scheme ? <IconCheck size={14} aria-hidden /> : null}
              onClick={() => {
                setColorScheme(scheme);
              }}
            >
              {t(`theme.${scheme}`)}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
