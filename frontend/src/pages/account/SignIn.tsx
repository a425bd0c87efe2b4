import { Alert, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";

import { api, ok } from "../../api/client";
import { isProblem } from "../../api/problem";
import { keys } from "../../api/queries";
import { LanguageSwitch, ThemeSwitch } from "../../app/Preferences";
import { safeNext } from "../../app/search";
import { chooseLanguage } from "../../i18n";
import { useErrorText } from "../../ui/parts";

const route = getRouteApi("/sign-in");

export function SignIn() {
  const { t } = useTranslation();
  const describe = useErrorText();
  const queryClient = useQueryClient();
  const router = useRouter();
  const { next } = route.useSearch();
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const signIn = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const me = await ok(api.POST("/api/v1/auth/login/", { body: { username, password } }));
      queryClient.clear();
      queryClient.setQueryData(keys.me, me);
      if (me.language) await chooseLanguage(me.language);
      router.history.push(safeNext(next));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };

  const told = (failure: unknown): string => {
    if (isProblem(failure, 401)) return t("signIn.wrong");
    return isProblem(failure, 429) ? t("signIn.tooOften") : describe(failure);
  };
  return (
    <main className="signin">
      <div className="signintools">
        <LanguageSwitch />
        <ThemeSwitch />
      </div>
      <Paper className="signincard" withBorder radius="md" p="xl">
        <form onSubmit={(event) => void signIn(event)}>
          <Stack>
            <div className="signinbrand">
              <img src="/vast.svg" alt="" width={40} height={40} />
              <div>
                <Title order={1} size="h3">
                  {t("shell.brand")}
                </Title>
                <Text size="sm" c="dimmed">
                  {t("signIn.motto")}
                </Text>
              </div>
            </div>
            {error !== null && (
              <Alert color="red" icon={<IconAlertTriangle size={18} aria-hidden />} role="alert">
                {told(error)}
              </Alert>
            )}
            <TextInput
              label={t("signIn.username")}
              name="username"
              autoComplete="username"
              required
              value={username}
              onChange={(event) => {
                setUsername(event.currentTarget.value);
              }}
            />
            <PasswordInput
              label={t("signIn.password")}
              name="password"
              autoComplete="current-password"
              required
              value={password}
              onChange={(event) => {
                setPassword(event.currentTarget.value);
              }}
            />
            <Button type="submit" loading={busy} fullWidth>
              {t("signIn.submit")}
            </Button>
          </Stack>
        </form>
      </Paper>
    </main>
  );
}
