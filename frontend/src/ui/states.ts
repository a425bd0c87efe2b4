/** How states look: an icon, a word (by key `state.<name>`) and a colour, always together. */
import {
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClockHour4,
  IconHandStop,
  IconHelpCircle,
  IconHourglass,
  IconLock,
  IconLockOpen,
  IconPlayerPlay,
  IconPlayerSkipForward,
  IconPlugConnectedX,
  IconPlayerStop,
  IconRocket,
  IconStack2,
  IconSquare,
} from "@tabler/icons-react";

export type Look = { icon: typeof IconBan; color: string };

const LOOKS: Readonly<Record<string, Look>> = {
  held: { icon: IconHandStop, color: "grape" },
  blocked: { icon: IconHourglass, color: "grape" },
  pending: { icon: IconClockHour4, color: "yellow" },
  starting: { icon: IconRocket, color: "cyan" },
  running: { icon: IconPlayerPlay, color: "blue" },
  stopping: { icon: IconPlayerStop, color: "orange" },
  succeeded: { icon: IconCircleCheck, color: "teal" },
  failed: { icon: IconCircleX, color: "red" },
  cancelled: { icon: IconBan, color: "gray" },
  skipped: { icon: IconPlayerSkipForward, color: "gray" },
  ready: { icon: IconCircleCheck, color: "teal" },
  unreachable: { icon: IconPlugConnectedX, color: "red" },
  cordoned: { icon: IconLock, color: "orange" },
  healthy: { icon: IconCircleCheck, color: "teal" },
  unhealthy: { icon: IconAlertTriangle, color: "red" },
  unknown: { icon: IconHelpCircle, color: "gray" },
  open: { icon: IconLockOpen, color: "teal" },
  closed: { icon: IconLock, color: "orange" },
  empty: { icon: IconCircleDashed, color: "gray" },
  shared: { icon: IconStack2, color: "cyan" },
  exclusive: { icon: IconSquare, color: "indigo" },
};

const PLAIN: Look = { icon: IconHelpCircle, color: "gray" };

export const lookOf = (state: string): Look => LOOKS[state] ?? PLAIN;

export const WAITING = ["held", "blocked", "pending"] as const;
export const ACTIVE = ["starting", "running", "stopping"] as const;
export const ENDED = ["succeeded", "failed", "cancelled", "skipped"] as const;

export const isWaiting = (state: string): boolean => (WAITING as readonly string[]).includes(state);
export const isEnded = (state: string): boolean => (ENDED as readonly string[]).includes(state);
