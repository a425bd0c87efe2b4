/** Colours of terminal output: SGR sequences become styled pieces, every other control sequence is dropped. */

export type Piece = { text: string; color: string | null; bold: boolean };

const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;
const SEQUENCE =
  /\u001b\[([0-9;?]*)([A-Za-z])|\u001b\][^\u0007]*\u0007|\u001b[()][A-Z0-9]|[\u0000-\u0008\u000b-\u001a\u001c-\u001f]/g;

export const stripAnsi = (line: string): string => line.replace(SEQUENCE, "");

function apply(state: { color: string | null; bold: boolean }, codes: string): { color: string | null; bold: boolean } {
  let { color, bold } = state;
  for (const code of (codes || "0").split(";").map(Number)) {
    if (code === 0) [color, bold] = [null, false];
    else if (code === 1) bold = true;
    else if (code === 22) bold = false;
    else if (code === 39) color = null;
    else if (code >= 30 && code <= 37) color = NAMES[code - 30] ?? null;
    else if (code >= 90 && code <= 97) color = NAMES[code - 90] ?? null;
  }
  return { color, bold };
}

export function pieces(line: string): Piece[] {
  if (!line.includes("\u001b")) return [{ text: stripAnsi(line), color: null, bold: false }];
  const found: Piece[] = [];
  let state: { color: string | null; bold: boolean } = { color: null, bold: false };
  let from = 0;
  for (const match of line.matchAll(SEQUENCE)) {
    if (match.index > from) found.push({ text: line.slice(from, match.index), ...state });
    if (match[2] === "m") state = apply(state, match[1] ?? "");
    from = match.index + match[0].length;
  }
  if (from < line.length) found.push({ text: line.slice(from), ...state });
  return found;
}
