import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";

import { pieces } from "./ansi";
import type { LogBuffer } from "./logBuffer";

type Props = {
  buffer: LogBuffer;
  version: number;
  follow: boolean;
  onLeaveEnd: () => void;
  wrap: boolean;
  words: string;
  target: number | undefined;
};

const LINE = 18;
/** Less than this upwards is the browser settling, not the reader. */
const MEANT = 4;

/** Draws the lines on screen only; keeps its place unless it follows. */
export function LogView({ buffer, version, follow, onLeaveEnd, wrap, words, target }: Props) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const top = useRef(0);
  const count = buffer.lines.length;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE,
    overscan: 20,
  });
  useEffect(() => {
    if (follow && count > 0) virtual.scrollToIndex(count - 1, { align: "end" });
  }, [follow, count, version, virtual]);
  useEffect(() => {
    if (target !== undefined) virtual.scrollToIndex(target, { align: "center" });
  }, [target, virtual]);
  return (
    <div
      ref={scroller}
      className="logview"
      data-wrap={wrap || undefined}
      role="log"
      aria-live="off"
      aria-label={t("job.tab.logs")}
      // A scrolling region has to be reachable by keyboard.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onScroll={(event) => {
        const now = event.currentTarget.scrollTop;
        if (follow && now < top.current - MEANT) onLeaveEnd();
        top.current = now;
      }}
    >
      {count === 0 && <p className="dim">{t("log.empty")}</p>}
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map((item) => (
          <div
            key={item.key}
            ref={wrap ? virtual.measureElement : undefined}
            data-index={item.index}
            data-target={item.index === target || undefined}
            className="logline"
            style={{ transform: `translateY(${String(item.start)}px)` }}
          >
            <span className="logno" aria-hidden>
              {buffer.dropped + item.index + 1}
            </span>
            <Line text={buffer.lines[item.index] ?? ""} words={words} />
          </div>
        ))}
      </div>
    </div>
  );
}

function Line({ text, words }: { text: string; words: string }) {
  return (
    <span className="logtext">
      {pieces(text).map((piece, index) => (
        <span key={index} data-ansi={piece.color ?? undefined} data-bold={piece.bold || undefined}>
          <Marked text={piece.text} words={words} />
        </span>
      ))}
    </span>
  );
}

function Marked({ text, words }: { text: string; words: string }) {
  const at = words === "" ? -1 : text.toLowerCase().indexOf(words.toLowerCase());
  if (at === -1) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + words.length)}</mark>
      <Marked text={text.slice(at + words.length)} words={words} />
    </>
  );
}
