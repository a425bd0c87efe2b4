import { IconCircleCheck, IconCircleDashed, IconCircleX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { jobWhyQuery } from "../../api/queries";
import type { Job, Why, WhyCheck } from "../../api/types";
import { evidenceRows, sentence } from "../../i18n/reasons";
import { useFormats } from "../../ui/format";
import { Loaded } from "../../ui/parts";
import { isWaiting } from "../../ui/states";
import { When } from "../../ui/When";

export function WhyTab({ job }: { job: Job }) {
  const query = useQuery(jobWhyQuery(job.id));
  return <Loaded query={query}>{(why) => <WhyPanel why={why} />}</Loaded>;
}

/** Why a job waits, or how it came where it is: one sentence, the checks in their order, the counts behind. */
function WhyPanel({ why }: { why: Why }) {
  const { t, i18n } = useTranslation();
  const formats = useFormats();
  const language = i18n.language;
  const waiting = isWaiting(why.state);
  return (
    <div className="why">
      <p className="whyhead">
        {why.headline === null
          ? t(waiting ? "why.notYet" : "why.notWaiting", { state: t(`state.${why.state}`) })
          : sentence(why.headline, language)}
      </p>
      <p className="dim small">
        {why.position !== null && (
          <span className="num">{t("why.position", { position: formats.integer(why.position) })} </span>
        )}
        {why.evaluated_at !== null && (
          <>
            {t("why.evaluated")} <When at={why.evaluated_at} />
          </>
        )}
      </p>
      <ol className="checks" aria-label={t("why.checks")}>
        {why.checks.map((check) => (
          <Check key={check.code} check={check} />
        ))}
      </ol>
      {why.headline !== null && <EvidenceTable why={why} />}
    </div>
  );
}

function Check({ check }: { check: WhyCheck }) {
  const { t, i18n } = useTranslation();
  const Icon = check.ok === null ? IconCircleDashed : check.ok ? IconCircleCheck : IconCircleX;
  const verdict = check.ok === null ? "unseen" : check.ok ? "passed" : "failed";
  return (
    <li data-verdict={verdict}>
      <Icon size={18} aria-hidden />
      <span>{sentence(check, i18n.language)}</span>
      <span className="dim small">{t(`why.verdict.${verdict}`)}</span>
    </li>
  );
}

function EvidenceTable({ why }: { why: Why }) {
  const { t, i18n } = useTranslation();
  const formats = useFormats();
  const rows = why.headline === null ? [] : evidenceRows(why.headline, i18n.language);
  if (rows.length === 0) return null;
  return (
    <table className="plain" aria-label={t("why.evidence")}>
      <thead>
        <tr>
          <th>{t("why.evidence")}</th>
          <th data-align="end">{t("why.affected")}</th>
          <th data-align="end">{t("why.need")}</th>
          <th data-align="end">{t("why.best")}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={`${row.code} ${row.text}`}>
            <td>{row.text}</td>
            <td data-align="end" className="num nowrap">
              {row.count === null || row.unit === null
                ? t("cell.none")
                : t(`why.count.${row.unit}`, { count: row.count, n: formats.integer(row.count) })}
            </td>
            <td data-align="end" className="num">
              {row.need || t("cell.none")}
            </td>
            <td data-align="end" className="num">
              {row.best || t("cell.none")}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
