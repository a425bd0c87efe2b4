import { ActionIcon, Button, Group, NumberInput, Select, Stack } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { api, ifMatch, ok } from "../../api/client";
import { isProblem } from "../../api/problem";
import { keys, presentModelsQuery } from "../../api/queries";
import type { Queue } from "../../api/types";
import { ErrorNote } from "../../ui/parts";
import { type QuotaRow, requestOf, rowsOf } from "./quotaRows";

const FIELDS = ["guaranteed", "limit", "weight"] as const;

/** Edits all quotas of one queue, in cards. Somebody else's change in between is told, not overwritten. */
export function QuotaForm({ queue, onClose }: { queue: Queue; onClose: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // What was read when the form opened: live updates must not make a stale form look fresh.
  const [version] = useState(queue.version);
  const [rows, setRows] = useState(() => rowsOf(queue.quotas));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const classes = [...new Set((useQuery(presentModelsQuery).data ?? []).map((model) => model.device_class))].sort();
  const unused = classes.filter((name) => !rows.some((row) => row.deviceClass === name));
  const fields = isProblem(error) ? error.fields : [];
  const change = (index: number, part: Partial<QuotaRow>): void => {
    setRows(rows.map((row, each) => (each === index ? { ...row, ...part } : row)));
  };
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await ok(
        api.PUT("/api/v1/queues/{id}/quotas/", {
          params: { path: { id: queue.id } },
          headers: ifMatch(version),
          body: { quotas: requestOf(rows) },
        }),
      );
      await queryClient.invalidateQueries({ queryKey: keys.queues });
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // The field that was refused, else what was said of the whole: it may lie outside of what is in view.
    if (error === null) return;
    const first = form.current?.querySelector<HTMLElement>("[aria-invalid=true], [role=alert]");
    first?.scrollIntoView({ block: "center" });
    first?.focus({ preventScroll: true });
  }, [error]);
  return (
    <form ref={form} onSubmit={(event) => void save(event)}>
      <Stack gap="xs">
        {rows.map((row, index) => (
          <div className="quotarow" key={row.deviceClass}>
            <strong>{row.deviceClass}</strong>
            {FIELDS.map((field) => (
              <NumberInput
                key={field}
                size="xs"
                label={t(`queue.${field}`)}
                placeholder={field === "limit" ? t("queue.noLimit") : "0"}
                min={0}
                decimalScale={field === "weight" ? 0 : 3}
                value={row[field]}
                error={fields.find((each) => each.field === `quotas[${String(index)}].${field}`)?.detail}
                onChange={(value) => {
                  change(index, { [field]: value });
                }}
              />
            ))}
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={t("queue.removeQuota", { name: row.deviceClass })}
              onClick={() => {
                setRows(rows.filter((_, each) => each !== index));
              }}
            >
              <IconX size={14} aria-hidden />
            </ActionIcon>
          </div>
        ))}
        {unused.length > 0 && (
          <Select
            size="xs"
            w={240}
            placeholder={t("queue.addQuota")}
            aria-label={t("queue.addQuota")}
            data={unused}
            value={null}
            onChange={(deviceClass) => {
              if (deviceClass !== null)
                setRows([...rows, { deviceClass, guaranteed: 0, limit: "", weight: 100, reserved: 0 }]);
            }}
          />
        )}
        <p className="dim small">{t("queue.editHelp")}</p>
        {error !== null && <ErrorNote error={error} />}
        <Group justify="flex-end">
          <Button size="xs" variant="default" onClick={onClose}>
            {t("action.back")}
          </Button>
          <Button size="xs" type="submit" loading={busy}>
            {t("action.save")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
