import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { api, ok } from "../../api/client";
import { keys, tokensQuery } from "../../api/queries";
import { CodeBlock, Loaded, PageHead, Panel } from "../../ui/parts";
import { When } from "../../ui/When";
import { SecretForm } from "./SecretForm";
import { SecretRows } from "./SecretRows";
import { ShownOnce } from "./ShownOnce";

/** One's own API tokens. */
export function Tokens() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const query = useQuery(tokensQuery);
  const [made, setMade] = useState<string | null>(null);
  const refresh = () => queryClient.invalidateQueries({ queryKey: keys.tokens });
  return (
    <div className="page scrolls narrow">
      <PageHead title={t("nav.tokens")} />
      <div className="stack">
        <Panel title={t("tokens.new")}>
          <SecretForm
            action={t("tokens.create")}
            mostLetters={80}
            onCreate={async (name, expires_at) => {
              setMade((await ok(api.POST("/api/v1/tokens/", { body: { name, expires_at } }))).token);
              await refresh();
            }}
          />
          {made !== null && (
            <ShownOnce>
              <CodeBlock text={made} label={t("tokens.copy")} />
            </ShownOnce>
          )}
        </Panel>
        <Panel title={t("tokens.yours")}>
          <Loaded query={query}>
            {(tokens) => (
              <SecretRows
                label={t("tokens.yours")}
                rows={tokens}
                columns={[
                  [t("tokens.prefix"), (token) => <span className="mono">{token.prefix}</span>],
                  [t("tokens.lastUsed"), (token) => <When at={token.last_used_at} />],
                ]}
                none={t("tokens.none")}
                revokeBody={t("tokens.revokeBody")}
                onRevoke={async (token) => {
                  await ok(api.DELETE("/api/v1/tokens/{id}/", { params: { path: { id: token.id } } }));
                  await refresh();
                }}
              />
            )}
          </Loaded>
        </Panel>
      </div>
    </div>
  );
}
