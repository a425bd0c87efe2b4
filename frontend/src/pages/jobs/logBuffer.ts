import { stripAnsi } from "./ansi";

/** Lines of a growing log. Bounded: the oldest lines go first, and are counted. */
export class LogBuffer {
  readonly lines: string[] = [];
  dropped = 0;
  private open = false;
  private readonly most: number;

  constructor(most = 200_000) {
    this.most = most;
  }

  /** Appends text that may end within a line; a carriage return writes the line anew, as progress bars do. */
  append(data: string): void {
    if (data === "") return;
    const parts = data.replaceAll("\r\n", "\n").split("\n");
    const first = parts[0] ?? "";
    if (this.open && this.lines.length > 0) {
      const last = this.lines.length - 1;
      this.lines[last] = settled((this.lines[last] ?? "") + first);
    } else this.lines.push(settled(first));
    for (const part of parts.slice(1)) this.lines.push(settled(part));
    this.open = true;
    // The text after the last line feed is an empty line that nobody wrote yet.
    if (parts.at(-1) === "") {
      this.lines.pop();
      this.open = false;
    }
    const over = this.lines.length - this.most;
    if (over > 0) {
      this.lines.splice(0, over);
      this.dropped += over;
    }
  }

  /** Indexes of the lines that hold the words as they are read: without colours, ignoring case. */
  find(words: string): number[] {
    if (words === "") return [];
    const wanted = words.toLowerCase();
    const found: number[] = [];
    this.lines.forEach((line, index) => {
      if (stripAnsi(line).toLowerCase().includes(wanted)) found.push(index);
    });
    return found;
  }
}

function settled(line: string): string {
  const trimmed = line.endsWith("\r") ? line.slice(0, -1) : line;
  return trimmed.includes("\r") ? trimmed.slice(trimmed.lastIndexOf("\r") + 1) : line;
}
