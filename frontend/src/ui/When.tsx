import { useTranslation } from "react-i18next";

import { useNow } from "../lib/clock";
import { useFormats } from "./format";

/** How long ago (or ahead); the exact moment in the reader's zone and in UTC on hover. */
export function When({ at, ...rest }: { at: string | null; className?: string }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const now = useNow();
  if (at === null) return <span {...rest}>{t("cell.none")}</span>;
  const date = new Date(at);
  const seconds = (now - date.getTime()) / 1000;
  return (
    <time dateTime={at} title={`${formats.dateTime(date)}\n${date.toISOString()}`} {...rest}>
      {seconds < 2 && seconds > -2
        ? t("time.now")
        : seconds < 0
          ? t("time.in", { duration: formats.duration(-seconds) })
          : t("time.ago", { duration: formats.duration(seconds) })}
    </time>
  );
}

/** From a moment until another, or until now, moving. */
export function Elapsed({ from, until }: { from: string; until: string | null }) {
  const formats = useFormats();
  const now = useNow();
  const end = until === null ? now : new Date(until).getTime();
  return <span className="num">{formats.duration((end - new Date(from).getTime()) / 1000)}</span>;
}
