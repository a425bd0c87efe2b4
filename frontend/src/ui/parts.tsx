/** Small pieces that many pages use. */
import { ActionIcon, Alert, Button, Group, Skeleton, Stack, Text, Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconCopy, IconRefresh } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { isProblem } from "../api/problem";
import { useCopy } from "../lib/clipboard";

export function useErrorText(): (error: unknown) => string {
  const { t } = useTranslation();
  return (error) => {
    if (!isProblem(error)) return t("error.unexpected");
    if (error.status === 0) return t("error.unreachable");
    if (error.status === 403) return t("error.forbidden", { detail: error.detail });
    if (error.status === 404) return t("error.notFound");
    if (error.status === 412) return t("error.changedMeanwhile");
    return error.detail || t("error.status", { status: error.status });
  };
}

export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { t } = useTranslation();
  const describe = useErrorText();
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />} role="alert">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm">{describe(error)}</Text>
        {onRetry && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconRefresh size={14} aria-hidden />}
            onClick={onRetry}
          >
            {t("action.retry")}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

type Loadable<T> = { data: T | undefined; error: unknown; isPending: boolean; refetch: () => unknown };

/** What was loaded; while nothing was, a skeleton or the error. Old data stays, with a note, when a refresh fails. */
export function Loaded<T>({ query, children }: { query: Loadable<T>; children: (data: T) => ReactNode }) {
  const retry = (): void => {
    query.refetch();
  };
  if (query.data === undefined) return query.error ? <ErrorNote error={query.error} onRetry={retry} /> : <Waiting />;
  return (
    <>
      {query.error ? <ErrorNote error={query.error} onRetry={retry} /> : null}
      {children(query.data)}
    </>
  );
}

export function Waiting() {
  const { t } = useTranslation();
  return (
    <Stack gap="xs" className="lateskeleton" aria-busy="true" aria-label={t("state.loading")}>
      <Skeleton height={28} radius="sm" />
      <Skeleton height={28} radius="sm" />
      <Skeleton height={28} radius="sm" width="70%" />
    </Stack>
  );
}

export function PageHead({ title, children, sub }: { title: ReactNode; children?: ReactNode; sub?: ReactNode }) {
  return (
    <div className="pagehead">
      <div className="pagetitle">
        <h1>{title}</h1>
        {sub}
      </div>
      <Group gap="xs">{children}</Group>
    </div>
  );
}

export function Panel({ title, aside, children }: { title: ReactNode; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="panel">
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

export function Facts({ items }: { items: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {items.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Copy({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation();
  const { copied, copy } = useCopy();
  const name = label ?? t("action.copy");
  return (
    <Tooltip label={copied ? t("action.copied") : name}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        onClick={() => {
          copy(text);
        }}
        aria-label={name}
      >
        {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}

export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="codeblock">
      <Copy text={text} label={label} />
      <pre>{text}</pre>
    </div>
  );
}
