import { useTranslation } from "react-i18next";

import { useFormats } from "../../ui/format";
import { bullet } from "./tree";

type Props = { held: number; guaranteed: number; limit: number | null; scale: number };

/** What is held against what is guaranteed (mark) and allowed (end of the pale band), in milli-cards. */
export function BulletBar({ held, guaranteed, limit, scale }: Props) {
  const { t } = useTranslation();
  const formats = useFormats();
  const { heldPct, guaranteedPct, limitPct, over } = bullet(held, guaranteed, limit, scale);
  const told = t("queue.bullet", {
    held: formats.cards(held),
    guaranteed: formats.cards(guaranteed),
    limit: limit === null ? t("queue.noLimit") : formats.cards(limit),
  });
  return (
    <div className="bullet" role="img" aria-label={told} title={told}>
      <span
        className="bulletlimit"
        style={{ width: `${String(limitPct ?? 100)}%` }}
        data-open={limit === null || undefined}
      />
      <span className="bulletheld" style={{ width: `${String(heldPct)}%` }} data-over={over || undefined} />
      {guaranteedPct !== null && <span className="bulletmark" style={{ left: `${String(guaranteedPct)}%` }} />}
    </div>
  );
}
