import type { QueueQuota, QuotaRequest } from "../../api/types";
import { milliFromCards } from "../../lib/units";

/** A quota as typed: cards instead of milli-cards, an empty limit for none. */
export type QuotaRow = {
  deviceClass: string;
  guaranteed: string | number;
  limit: string | number;
  weight: string | number;
  reserved: number;
};

export const rowsOf = (quotas: readonly QueueQuota[]): QuotaRow[] =>
  quotas.map((quota) => ({
    deviceClass: quota.device_class,
    guaranteed: (quota.guaranteed ?? 0) / 1000,
    limit: quota.limit === null || quota.limit === undefined ? "" : quota.limit / 1000,
    weight: quota.weight ?? 100,
    reserved: quota.reserved ?? 0,
  }));

export const requestOf = (rows: readonly QuotaRow[]): QuotaRequest[] =>
  rows.map((row) => ({
    device_class: row.deviceClass,
    guaranteed: milliFromCards(row.guaranteed) ?? 0,
    limit: milliFromCards(row.limit) ?? null,
    weight: row.weight === "" ? 100 : Number(row.weight),
    reserved: row.reserved,
  }));
