import { IconAlertTriangle } from "@tabler/icons-react";
import { useId, useRef } from "react";
import { useTranslation } from "react-i18next";

import type { Mark } from "./document";

type Props = { text: string; marks: readonly Mark[]; onChange: (text: string) => void };

/** A plain text area with line numbers; lines with a problem are marked, and the problems are listed below it. */
export function YamlEditor({ text, marks, onChange }: Props) {
  const { t } = useTranslation();
  const listId = useId();
  const gutter = useRef<HTMLDivElement>(null);
  const lines = Math.max(12, text.split("\n").length);
  const marked = new Set(marks.map((mark) => mark.line));
  return (
    <div className="yaml">
      <div className="yamlbox">
        <div className="yamlgutter" ref={gutter} aria-hidden>
          {Array.from({ length: lines }, (_, index) => (
            <span key={index} data-marked={marked.has(index + 1) || undefined}>
              {index + 1}
            </span>
          ))}
        </div>
        <textarea
          aria-label={t("submit.yaml")}
          aria-invalid={marks.length > 0}
          aria-describedby={listId}
          spellCheck={false}
          autoCapitalize="off"
          rows={lines}
          value={text}
          wrap="off"
          onChange={(event) => {
            onChange(event.currentTarget.value);
          }}
          onScroll={(event) => {
            if (gutter.current !== null) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
        />
      </div>
      <ul id={listId} className="problems" aria-live="polite">
        {marks.map((mark) => (
          <li key={`${String(mark.line)} ${mark.message}`}>
            <IconAlertTriangle size={14} aria-hidden /> {t("submit.line", { line: mark.line })} {mark.message}
          </li>
        ))}
      </ul>
    </div>
  );
}
