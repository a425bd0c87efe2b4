/** Values that React components watch, one by one: a reading of one device renders that device's cells only. */

type Listener = () => void;

export class Cell<T> {
  private readonly listeners = new Set<Listener>();
  private value: T;

  constructor(initial: T) {
    this.value = initial;
  }

  readonly get = (): T => this.value;

  readonly subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of this.listeners) listener();
  }
}

export class CellMap<T> {
  private readonly values = new Map<string, T>();
  private readonly listeners = new Map<string, Set<Listener>>();

  get(key: string): T | undefined {
    return this.values.get(key);
  }

  subscribe(key: string, listener: Listener): () => void {
    const found = this.listeners.get(key) ?? new Set<Listener>();
    found.add(listener);
    this.listeners.set(key, found);
    return () => {
      found.delete(listener);
      if (found.size === 0) this.listeners.delete(key);
    };
  }

  set(key: string, value: T): void {
    this.values.set(key, value);
    for (const listener of this.listeners.get(key) ?? []) listener();
  }
}
