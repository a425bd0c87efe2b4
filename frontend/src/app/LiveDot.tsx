import { Tooltip, UnstyledButton } from "@mantine/core";
import { useTranslation } from "react-i18next";

import { useNow } from "../lib/clock";
import { useCell, useLive } from "../live/hooks";
import { useFormats } from "../ui/format";

/** Is what I see current? A click stops and resumes the stream. */
export function LiveDot() {
  const { t } = useTranslation();
  const live = useLive();
  const status = useCell(live.status);
  const lastFrameAt = useCell(live.lastFrameAt);
  const now = useNow();
  const formats = useFormats();
  const seconds = "since" in status ? Math.max(0, Math.round((now - status.since) / 1000)) : 0;
  const age = lastFrameAt === 0 ? "" : t("live.age", { duration: formats.duration((now - lastFrameAt) / 1000) });
  const label = t(`live.${status.kind}`, { duration: formats.duration(seconds) });
  return (
    <Tooltip label={`${t(`live.${status.kind}Tip`)} ${age}`} multiline w={260}>
      <UnstyledButton
        className="livedot"
        data-kind={status.kind}
        onClick={() => {
          if (status.kind === "paused") live.resume();
          else live.pause();
        }}
      >
        <span className="dot" aria-hidden />
        <span role="status">{label}</span>
      </UnstyledButton>
    </Tooltip>
  );
}
