/** Copying. Browsers offer the clipboard only on secure origins, and a console on plain http is usual in a lab. */
import { useEffect, useRef, useState } from "react";

const TOLD_MS = 1500;

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyBySelection(text);
  }
}

function copyBySelection(text: string): void {
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  const before = document.activeElement;
  // Inside an open dialog or menu, whose focus is kept within it.
  (before?.parentElement ?? document.body).append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
}

/** `copied` for a moment after `copy`. */
export function useCopy(): { copied: boolean; copy: (text: string) => void } {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
    },
    [],
  );
  return {
    copied,
    copy: (text) => {
      void copyText(text).then(() => {
        setCopied(true);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          setCopied(false);
        }, TOLD_MS);
      });
    },
  };
}
