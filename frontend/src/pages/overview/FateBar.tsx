import { Link, linkOptions } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import type { Fate } from "../../api/types";
import { useFormats } from "../../ui/format";
import { Panel } from "../../ui/parts";
import { FATES } from "./model";

/** The list behind each part. */
const LISTS = {
  busy: linkOptions({ to: "/devices", search: { load: "busy" } }),
  idle: linkOptions({ to: "/devices", search: { load: "idle" } }),
  free: linkOptions({ to: "/devices", search: { mode: "empty" } }),
  cordoned: linkOptions({ to: "/devices", search: { cordoned: "true" } }),
  down: linkOptions({ to: "/devices", search: { health: "unhealthy" } }),
} as const;

/** What becomes of all compute, as one bar of cards; each part has a pattern and a name besides its colour. */
export function FateBar({ fate }: { fate: Fate }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const all = FATES.reduce((sum, part) => sum + fate[part], 0);
  const told = FATES.map((part) => `${t(`fate.${part}`)} ${formats.cards(fate[part])}`).join(", ");
  return (
    <Panel
      title={t("fate.title")}
      aside={<span className="num dim small">{t("overview.cardsAmount", { cards: formats.cards(all) })}</span>}
    >
      <div className="fatebar" role="img" aria-label={told}>
        {FATES.filter((part) => fate[part] > 0).map((part) => (
          <span key={part} data-fate={part} style={{ flexGrow: fate[part] }} title={t(`fate.${part}`)} />
        ))}
      </div>
      <ul className="fatelegend">
        {FATES.map((part) => (
          <li key={part}>
            <span className="fatekey" data-fate={part} aria-hidden />
            <Link {...LISTS[part]} className="link quiet">
              {t(`fate.${part}`)}
            </Link>
            <span className="num">
              <strong>{formats.cards(fate[part])}</strong>{" "}
              <span className="dim small">{formats.percent(all === 0 ? 0 : (fate[part] / all) * 100)}</span>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
