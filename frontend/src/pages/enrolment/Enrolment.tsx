import { Select } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { api, ok } from "../../api/client";
import { enrolmentTokensQuery, keys, poolsQuery } from "../../api/queries";
import type { NewEnrolmentToken } from "../../api/types";
import { enrolCommand } from "../../lib/commands";
import { CodeBlock, Loaded, PageHead, Panel } from "../../ui/parts";
import { SecretForm } from "../account/SecretForm";
import { SecretRows } from "../account/SecretRows";
import { ShownOnce } from "../account/ShownOnce";

/** Enrolment tokens: with one of them agents add their nodes to the pool. For admins. */
export function Enrolment() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const query = useQuery(enrolmentTokensQuery);
  const pools = useQuery(poolsQuery).data ?? [];
  const [pool, setPool] = useState<string | null>(null);
  const [made, setMade] = useState<NewEnrolmentToken | null>(null);
  const refresh = () => queryClient.invalidateQueries({ queryKey: keys.enrolment });
  return (
    <div className="page scrolls narrow">
      <PageHead title={t("nav.enrolment")} />
      <p className="dim">{t("enrolment.intro")}</p>
      <Loaded query={query}>
        {(tokens) => (
          <div className="stack">
            <Panel title={t("enrolment.new")}>
              <SecretForm
                action={t("tokens.create")}
                mostLetters={80}
                onCreate={async (name, expires_at) => {
                  setMade(await ok(api.POST("/api/v1/enrolment-tokens/", { body: { name, pool, expires_at } })));
                  await refresh();
                }}
              >
                <Select
                  label={t("term.pool")}
                  placeholder={t("enrolment.anyPool")}
                  clearable
                  data={pools.map((each) => each.name)}
                  value={pool}
                  onChange={setPool}
                />
              </SecretForm>
              {made !== null && (
                <ShownOnce>
                  <div className="stack tight">
                    <CodeBlock text={made.token} label={t("tokens.copy")} />
                    <p>{t("enrolment.onTheNode")}</p>
                    <CodeBlock text={enrolCommand(location.origin, made.token)} label={t("action.copyCli")} />
                  </div>
                </ShownOnce>
              )}
            </Panel>
            <Panel title={t("enrolment.all")}>
              <SecretRows
                label={t("enrolment.all")}
                rows={tokens}
                columns={[[t("term.pool"), (token) => token.pool ?? t("enrolment.anyPool")]]}
                none={t("tokens.none")}
                revokeBody={t("enrolment.revokeBody")}
                onRevoke={async (token) => {
                  await ok(api.DELETE("/api/v1/enrolment-tokens/{id}/", { params: { path: { id: token.id } } }));
                  if (made?.id === token.id) setMade(null);
                  await refresh();
                }}
              />
            </Panel>
          </div>
        )}
      </Loaded>
    </div>
  );
}
