import { Button, Stack, Text, Title } from "@mantine/core";
import { IconError404, IconRefresh } from "@tabler/icons-react";
import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { useErrorText } from "../ui/parts";

/** What stands where a page broke: the rest of the console goes on. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  const describe = useErrorText();
  const router = useRouter();
  const queries = useQueryErrorResetBoundary();
  const retry = (): void => {
    queries.reset();
    reset();
    void router.invalidate();
  };
  return (
    <Stack align="center" p="xl" role="alert">
      <Title order={1} size="h3">
        {t("error.pageTitle")}
      </Title>
      <Text c="dimmed">{describe(error)}</Text>
      <Button leftSection={<IconRefresh size={16} aria-hidden />} onClick={retry}>
        {t("action.retry")}
      </Button>
    </Stack>
  );
}

export function NotFoundPage() {
  const { t } = useTranslation();
  return (
    <Stack align="center" p="xl">
      <IconError404 size={56} stroke={1.2} aria-hidden />
      <Title order={1} size="h3">
        {t("error.notFoundTitle")}
      </Title>
      <Text c="dimmed">{t("error.notFoundBody")}</Text>
      <Link to="/" className="link">
        {t("error.toOverview")}
      </Link>
    </Stack>
  );
}
