import { Alert, Button, Group, Select, Stack, TextInput } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";

import { api, ok } from "../../api/client";
import { keys, tokensQuery } from "../../api/queries";
import type { NewToken, Token } from "../../api/types";
import { Confirm } from "../../ui/Confirm";
import { CodeBlock, ErrorNote, Loaded, PageHead, Panel } from "../../ui/parts";
import { When } from "../../ui/When";

/** Days until a new token expires; null = never. */
const LIVES = { "30": 30, "90": 90, "365": 365, never: null } as const;
type Life = keyof typeof LIVES;
const DAY_MS = 86_400_000;

export function Tokens() {
  const { t } = useTranslation();
  const query = useQuery(tokensQuery);
  const [made, setMade] = useState<NewToken | null>(null);
  return (
    <div className="page scrolls narrow">
      <PageHead title={t("nav.tokens")} />
      <div className="stack">
        <Panel title={t("tokens.new")}>
          <NewTokenForm onMade={setMade} />
          {made !== null && (
            <Alert
              color="teal"
              icon={<IconKey size={18} aria-hidden />}
              title={t("tokens.shownOnce")}
              mt="md"
              role="status"
            >
              <CodeBlock text={made.token} label={t("tokens.copy")} />
            </Alert>
          )}
        </Panel>
        <Panel title={t("tokens.yours")}>
          <Loaded query={query}>{(tokens) => <TokenRows tokens={tokens} />}</Loaded>
        </Panel>
      </div>
    </div>
  );
}

function NewTokenForm({ onMade }: { onMade: (token: NewToken) => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [name, setName] = useState("");
  const [life, setLife] = useState<Life>("90");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const create = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    const days = LIVES[life];
    try {
      const expires_at = days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString();
      onMade(await ok(api.POST("/api/v1/tokens/", { body: { name, expires_at } })));
      setName("");
      await queryClient.invalidateQueries({ queryKey: keys.tokens });
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void create(event)}>
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t("tokens.name")}
            required
            maxLength={100}
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value);
            }}
          />
          <Select
            label={t("tokens.expires")}
            data={(Object.keys(LIVES) as Life[]).map((value) => ({ value, label: t(`tokens.life.${value}`) }))}
            value={life}
            allowDeselect={false}
            onChange={(value) => {
              setLife((value ?? "90") as Life);
            }}
          />
          <Button type="submit" loading={busy}>
            {t("tokens.create")}
          </Button>
        </Group>
        {error !== null && <ErrorNote error={error} />}
      </Stack>
    </form>
  );
}

function TokenRows({ tokens }: { tokens: readonly Token[] }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [revoking, setRevoking] = useState<Token | null>(null);
  if (tokens.length === 0) return <p className="dim">{t("tokens.none")}</p>;
  return (
    <>
      <table className="plain">
        <thead>
          <tr>
            <th>{t("tokens.name")}</th>
            <th>{t("tokens.prefix")}</th>
            <th>{t("tokens.created")}</th>
            <th>{t("tokens.lastUsed")}</th>
            <th>{t("tokens.expires")}</th>
            <th aria-label={t("tokens.revoke")} />
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <td>{token.name}</td>
              <td className="mono">{token.prefix}</td>
              <td>
                <When at={token.created_at} />
              </td>
              <td>
                <When at={token.last_used_at} />
              </td>
              <td>{token.expires_at ? <When at={token.expires_at} /> : t("tokens.life.never")}</td>
              <td data-align="end">
                <Button
                  size="compact-xs"
                  variant="light"
                  color="red"
                  onClick={() => {
                    setRevoking(token);
                  }}
                >
                  {t("tokens.revoke")}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {revoking !== null && (
        <Confirm
          title={t("tokens.revokeTitle", { name: revoking.name })}
          body={t("tokens.revokeBody")}
          action={t("tokens.revoke")}
          onClose={() => {
            setRevoking(null);
          }}
          onConfirm={async () => {
            await ok(api.DELETE("/api/v1/tokens/{id}/", { params: { path: { id: revoking.id } } }));
            await queryClient.invalidateQueries({ queryKey: keys.tokens });
          }}
        />
      )}
    </>
  );
}
