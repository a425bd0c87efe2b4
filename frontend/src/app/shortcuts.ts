import { useEffect, useRef } from "react";

import { Cell } from "../live/cells";
import { keep, recall } from "../lib/keep";

type Handlers = Readonly<Record<string, () => void>>;

/** Newest last: the top layer answers first. */
const stack: { current: Handlers }[] = [];
const SEQUENCE_MS = 1200;
const PREFIX = "g";
let prefixAt = 0;

/** The off switch that WCAG 2.1.4 asks for, kept in this browser. */
export const shortcutsOn = new Cell<boolean>(recall("shortcuts") !== "off");

export function switchShortcuts(on: boolean): void {
  keep("shortcuts", on ? "on" : "off");
  shortcutsOn.set(on);
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

/** The name of a key press: "j", "g o", "?"; undefined when it is none of ours. */
export function nameOf(key: string, now: number, armedAt: number): string {
  return now - armedAt < SEQUENCE_MS ? `${PREFIX} ${key}` : key;
}

function onKey(event: KeyboardEvent): void {
  if (!shortcutsOn.get() || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (document.querySelector("[role=dialog][aria-modal=true]") !== null) return;
  const now = Date.now();
  const name = nameOf(event.key, now, prefixAt);
  prefixAt = event.key === PREFIX && name === PREFIX ? now : 0;
  // A button or link in focus answers Enter itself.
  if (name === "Enter" && event.target instanceof HTMLElement && event.target.closest("a,button") !== null) return;
  for (let index = stack.length - 1; index >= 0; index -= 1) {
    const handler = stack[index]?.current[name];
    if (handler !== undefined) {
      event.preventDefault();
      handler();
      return;
    }
  }
}

export function useShortcuts(handlers: Handlers): void {
  const held = useRef(handlers);
  useEffect(() => {
    held.current = handlers;
  });
  useEffect(() => {
    if (stack.length === 0) window.addEventListener("keydown", onKey);
    stack.push(held);
    return () => {
      stack.splice(stack.indexOf(held), 1);
      if (stack.length === 0) window.removeEventListener("keydown", onKey);
    };
  }, []);
}
