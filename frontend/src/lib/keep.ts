/** Small settings of this browser. A browser that refuses storage just forgets them. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(`vast.${key}`);
  } catch {
    return null;
  }
}

export function keep(key: string, value: string): void {
  try {
    localStorage.setItem(`vast.${key}`, value);
  } catch {
    return;
  }
}
