import { useTranslation } from "react-i18next";

/** Names with values (labels, places) in one line; all of them on hover. */
export function Pairs({ values }: { values: Readonly<Record<string, string>> | undefined }) {
  const { t } = useTranslation();
  const pairs = Object.entries(values ?? {}).map(([key, value]) => `${key}=${value}`);
  if (pairs.length === 0) return <span className="dim">{t("cell.none")}</span>;
  return (
    <span className="clip" title={pairs.join("\n")}>
      {pairs.join(", ")}
    </span>
  );
}
