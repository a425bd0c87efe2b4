import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";

import { Confirm } from "../../ui/Confirm";
import { When } from "../../ui/When";

type Secret = { id: string; name: string; created_at: string; expires_at?: string | null };
type Props<Row extends Secret> = {
  label: string;
  rows: readonly Row[];
  columns: readonly (readonly [header: string, cell: (row: Row) => ReactNode])[];
  none: string;
  revokeBody: string;
  onRevoke: (row: Row) => Promise<void>;
};

/** Secrets by name, with how long they hold and a way to end them. */
export function SecretRows<Row extends Secret>({ label, rows, columns, none, revokeBody, onRevoke }: Props<Row>) {
  const { t } = useTranslation();
  const [revoking, setRevoking] = useState<Row | null>(null);
  if (rows.length === 0) return <p className="dim">{none}</p>;
  return (
    <>
      <table className="plain" aria-label={label}>
        <thead>
          <tr>
            <th>{t("tokens.name")}</th>
            {columns.map(([header]) => (
              <th key={header}>{header}</th>
            ))}
            <th>{t("tokens.created")}</th>
            <th>{t("tokens.expires")}</th>
            <th aria-label={t("tokens.revoke")} />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>{row.name}</td>
              {columns.map(([header, cell]) => (
                <td key={header}>{cell(row)}</td>
              ))}
              <td>
                <When at={row.created_at} />
              </td>
              <td>{row.expires_at ? <When at={row.expires_at} /> : t("tokens.life.never")}</td>
              <td data-align="end">
                <Button
                  size="compact-xs"
                  variant="light"
                  color="red"
                  onClick={() => {
                    setRevoking(row);
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
          body={revokeBody}
          action={t("tokens.revoke")}
          onClose={() => {
            setRevoking(null);
          }}
          onConfirm={() => onRevoke(revoking)}
        />
      )}
    </>
  );
}
