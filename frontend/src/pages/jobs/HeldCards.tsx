import { useTranslation } from "react-i18next";

import type { Job } from "../../api/types";
import { useFormats } from "../../ui/format";

/** Cards held now in sum; which ones, on hover. Null while nothing is held. */
export function HeldCards({ job }: { job: Job }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const classes = Object.entries(job.held);
  const sum = classes.reduce((total, [, milli]) => total + milli, 0);
  if (sum === 0) return null;
  return (
    <span className="num clip" title={classes.map(([name, milli]) => `${name}: ${formats.cards(milli)}`).join("\n")}>
      {t("overview.cardsAmount", { cards: formats.cards(sum) })}
      {classes.length === 1 && <span className="dim">{` ${classes[0]?.[0] ?? ""}`}</span>}
    </span>
  );
}
