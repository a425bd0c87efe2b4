/** Short names for the types that the server's OpenAPI document defines. */
import type { components } from "./schema";

type S = components["schemas"];

export type Me = S["Me"];
export type Node = S["Node"];
export type Device = S["Device"];
export type DeviceSlice = S["DeviceSlice"];
export type DeviceModel = S["DeviceModel"];
export type DeviceLink = S["DeviceLink"];
export type Job = S["Job"];
export type JobState = S["JobStateEnum"];
export type JobEvent = S["JobEvent"];
export type Task = S["Task"];
export type TaskState = S["TaskStateEnum"];
export type Why = S["Why"];
export type WhyCheck = S["WhyCheck"];
export type Reason = S["Reason"];
export type SavedView = S["SavedView"];
export type DeviceHistory = S["DeviceHistory"];
export type EnrolmentToken = S["EnrolmentToken"];
export type NewEnrolmentToken = S["NewEnrolmentToken"];
export type Queue = S["Queue"];
export type QueueQuota = S["QueueQuota"];
export type QuotaRequest = S["QueueQuotaRequest"];
export type Overview = S["Overview"];
/** Sums over a set of devices. */
export type Usage = Omit<S["TotalUsage"], "jobs">;
export type Fate = S["Fate"];
export type NodeUsage = S["NodeUsage"];
export type PoolUsage = S["PoolUsage"];
export type VendorUsage = S["VendorUsage"];
export type TotalUsage = S["TotalUsage"];
export type Token = S["Token"];
export type NewToken = S["NewToken"];
export type Pool = S["Pool"];
export type Tenant = S["Tenant"];
export type FieldProblem = S["FieldProblem"];
export type JobDocumentRequest = S["JobDocumentRequest"];
