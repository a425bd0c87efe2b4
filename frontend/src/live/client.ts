import ReconnectingSocket from "partysocket/ws";

import type { JobEvent, Usage } from "../api/types";
import { Cell, CellMap } from "./cells";
import { type DeviceRow, type Frame, type LogFrame, type NodeRow, type OverviewFrame, parseFrame } from "./protocol";
import { addPoint, addReading, type Point, type Reading } from "./readings";
import { sawEvent, sawNewest, type Seen } from "./seen";

export type LiveStatus =
  | { kind: "connecting" }
  | { kind: "live" }
  | { kind: "reconnecting"; since: number }
  | { kind: "paused"; since: number };

export type LogHandlers = { offset: number; onData: (frame: LogFrame) => void; onError: (code: string) => void };
type Gap = { lastSeen: number; awayMs: number };

/** The server sends a heartbeat every 5 s: after this much silence the connection is taken for dead. */
const SILENCE_MS = 12_000;
const WINDOW_MS = 15 * 60_000;
/** As often as the server remembers: the line then goes on from there at the same pace. */
const STEP_MS = 5_000;
const EVENTS_KEPT = 200;
const SIGNED_OUT = 4401;

/** The one socket of the console: what components watch, kept current; nothing is blanked when it drops. */
export class LiveClient {
  readonly status = new Cell<LiveStatus>({ kind: "connecting" });
  readonly overview = new Cell<OverviewFrame | undefined>(undefined);
  readonly overviewHistory = new Cell<readonly Point[]>([]);
  readonly events = new Cell<readonly JobEvent[]>([]);
  readonly devices = new CellMap<Reading>();
  readonly nodes = new CellMap<Reading>();
  readonly lastFrameAt = new Cell<number>(0);

  private socket: ReconnectingSocket | undefined;
  private watch: ReturnType<typeof setInterval> | undefined;
  private seen: Seen = { last: 0, behindSince: null };
  private lostAt: number | null = null;
  private heardAt = 0;
  private topics = new Map<string, number>();
  private topicsSent = "";
  private log: ({ task: string } & LogHandlers) | null = null;
  private readonly eventListeners = new Set<(event: JobEvent) => void>();
  private readonly gapListeners = new Set<(gap: Gap) => void>();
  private waitingDevices = new Map<string, DeviceRow>();
  private waitingNodes = new Map<string, NodeRow>();
  private waitingEvents: JobEvent[] = [];
  private waitingOverview: OverviewFrame | undefined;
  private flushPlanned = false;

  private readonly onSignedOut: () => void;

  constructor(onSignedOut: () => void) {
    this.onSignedOut = onSignedOut;
  }

  start(): void {
    if (this.socket !== undefined) return;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    // Every browser draws its own delays, so that they do not all come back in one instant.
    const socket = new ReconnectingSocket(`${scheme}://${location.host}/ws/live/`, [], {
      minReconnectionDelay: 300 + Math.random() * 700,
      maxReconnectionDelay: 8_000 + Math.random() * 4_000,
      reconnectionDelayGrowFactor: 1.6,
      connectionTimeout: 5_000,
      maxEnqueuedMessages: 0,
    });
    socket.addEventListener("open", () => {
      this.heardAt = Date.now();
      this.topicsSent = "";
      this.sendTopics();
      this.sendLog();
    });
    socket.addEventListener("message", (message: MessageEvent) => {
      const frame = parseFrame(String(message.data));
      if (frame !== undefined) this.take(frame);
    });
    socket.addEventListener("close", (closed: { code: number }) => {
      if (closed.code === SIGNED_OUT) {
        this.stop();
        this.onSignedOut();
        return;
      }
      this.lost();
    });
    this.socket = socket;
    this.watch = setInterval(() => {
      if (socket.readyState === WebSocket.OPEN && Date.now() - this.heardAt > SILENCE_MS) {
        this.lost();
        socket.reconnect();
      }
    }, 2_000);
    window.addEventListener("online", this.hurry);
    document.addEventListener("visibilitychange", this.hurry);
  }

  stop(): void {
    clearInterval(this.watch);
    window.removeEventListener("online", this.hurry);
    document.removeEventListener("visibilitychange", this.hurry);
    this.socket?.close();
    this.socket = undefined;
  }

  /** The reader wants the picture to stand still; nothing is received until `resume`. */
  pause(): void {
    this.lostAt ??= Date.now();
    this.stop();
    this.status.set({ kind: "paused", since: Date.now() });
  }

  resume(): void {
    this.status.set({ kind: "connecting" });
    this.start();
  }

  addTopics(topics: readonly string[]): () => void {
    for (const topic of topics) this.topics.set(topic, (this.topics.get(topic) ?? 0) + 1);
    this.planTopics();
    return () => {
      for (const topic of topics) {
        const count = (this.topics.get(topic) ?? 0) - 1;
        if (count > 0) this.topics.set(topic, count);
        else this.topics.delete(topic);
      }
      this.planTopics();
    };
  }

  onEvent(listener: (event: JobEvent) => void): () => void {
    this.eventListeners.add(listener);
    return () => this.eventListeners.delete(listener);
  }

  /** Called when something may have been missed. */
  onGap(listener: (gap: Gap) => void): () => void {
    this.gapListeners.add(listener);
    return () => this.gapListeners.delete(listener);
  }

  /** Follow one task's log; a former one is left. */
  followLog(task: string, handlers: LogHandlers): () => void {
    const mine = { task, ...handlers };
    this.log = mine;
    this.sendLog();
    return () => {
      if (this.log !== mine) return;
      this.log = null;
      this.send({ log: null });
    };
  }

  private readonly hurry = (): void => {
    if (document.visibilityState === "visible" && this.socket?.readyState === WebSocket.CLOSED) this.socket.reconnect();
  };

  private lost(): void {
    if (this.status.get().kind === "reconnecting") return;
    this.lostAt ??= Date.now();
    this.status.set({ kind: "reconnecting", since: this.lostAt });
  }

  private send(payload: unknown): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(payload));
  }

  private sendLog(): void {
    if (this.log !== null) this.send({ log: { task: this.log.task, offset: this.log.offset } });
  }

  /** One page leaving and the next coming change the set several times in one go: the server hears the result only. */
  private planTopics(): void {
    queueMicrotask(() => {
      this.sendTopics();
    });
  }

  private sendTopics(): void {
    const wanted = JSON.stringify([...this.topics.keys()].sort());
    if (wanted === this.topicsSent || this.socket?.readyState !== WebSocket.OPEN) return;
    this.topicsSent = wanted;
    this.send({ subscribe: JSON.parse(wanted) as string[] });
  }

  private take(frame: Frame): void {
    this.heardAt = Date.now();
    switch (frame.type) {
      case "hello":
        this.hello(frame.last_event);
        break;
      case "heartbeat": {
        const { seen, missed } = sawNewest(this.seen, frame.last_event, Date.now());
        const before = this.seen.last;
        this.seen = seen;
        if (missed) this.gap({ lastSeen: before, awayMs: 0 });
        break;
      }
      case "resync":
        this.gap({ lastSeen: this.seen.last, awayMs: 0 });
        break;
      case "overview":
        this.waitingOverview = frame;
        break;
      case "devices":
        for (const row of frame.devices) this.waitingDevices.set(row[0], row);
        break;
      case "nodes":
        for (const row of frame.nodes) this.waitingNodes.set(row[0], row);
        break;
      case "event":
        this.seen = sawEvent(this.seen, frame.event.id);
        this.waitingEvents.push(frame.event);
        break;
      case "log":
        if (this.log?.task === frame.task && frame.offset === this.log.offset) {
          this.log.offset = frame.next_offset;
          this.log.onData(frame);
        }
        return;
      case "log_error":
        if (this.log?.task === frame.task) this.log.onError(frame.problem.code);
        return;
      case "error":
        return;
    }
    this.planFlush();
  }

  private hello(newest: number): void {
    const first = this.seen.last === 0 && this.lostAt === null;
    const before = this.seen.last;
    this.seen = { last: Math.max(before, newest), behindSince: null };
    const awayMs = this.lostAt === null ? 0 : Date.now() - this.lostAt;
    this.lostAt = null;
    this.status.set({ kind: "live" });
    if (!first) this.gap({ lastSeen: before, awayMs });
  }

  private gap(gap: Gap): void {
    for (const listener of this.gapListeners) listener(gap);
  }

  /** Frames that come faster than the screen are drawn together; a hidden tab draws once a second. */
  private planFlush(): void {
    if (this.flushPlanned) return;
    this.flushPlanned = true;
    const flush = (): void => {
      this.flushPlanned = false;
      this.flush();
    };
    if (document.visibilityState === "visible") requestAnimationFrame(flush);
    else setTimeout(flush, 1000);
  }

  private flush(): void {
    const at = Date.now();
    this.lastFrameAt.set(at);
    for (const [id, util, memoryUsedMib, temperatureC, powerW] of this.waitingDevices.values())
      this.devices.set(id, addReading(this.devices.get(id), { at, util, memoryUsedMib, temperatureC, powerW }));
    this.waitingDevices.clear();
    for (const [id, util, memoryUsedMib, powerW, age] of this.waitingNodes.values())
      this.nodes.set(
        id,
        addReading(this.nodes.get(id), { at: at - age * 1000, util, memoryUsedMib, temperatureC: null, powerW }),
      );
    this.waitingNodes.clear();
    if (this.waitingOverview !== undefined) {
      const frame = this.waitingOverview;
      this.waitingOverview = undefined;
      this.overview.set(frame);
      this.overviewHistory.set(addPoint(this.overviewHistory.get(), { at, ...tileValues(frame) }, WINDOW_MS, STEP_MS));
    }
    if (this.waitingEvents.length > 0) {
      const fresh = this.waitingEvents;
      this.waitingEvents = [];
      this.events.set([...this.events.get(), ...fresh].slice(-EVENTS_KEPT));
      for (const event of fresh) for (const listener of this.eventListeners) listener(event);
    }
  }
}

export const TILE = { allocated: 0, used: 1, idle: 2, waiting: 3, unheard: 4 } as const;

/** In the order of TILE: percent of all cards, jobs (of all pools), cards. */
export function tileValues({ totals, pools }: Pick<OverviewFrame, "totals" | "pools">): Omit<Point, "at"> {
  const waiting = (totals.jobs["pending"] ?? 0) + (totals.jobs["blocked"] ?? 0) + (totals.jobs["held"] ?? 0);
  return {
    values: valuesOf(totals, waiting),
    pools: Object.fromEntries(pools.map((pool) => [pool.name, valuesOf(pool, waiting)])),
  };
}

function valuesOf(usage: Usage, waiting: number): number[] {
  const used = ((usage.util_pct ?? 0) * usage.devices_reporting) / Math.max(1, usage.devices);
  return [
    usage.cores_allocated_pct,
    used,
    Math.max(0, usage.cores_allocated_pct - used),
    waiting,
    usage.devices - usage.devices_reporting,
  ];
}
