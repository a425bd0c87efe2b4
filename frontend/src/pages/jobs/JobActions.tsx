import { Button, Menu, Modal, NumberInput, Stack } from "@mantine/core";
import { IconBan, IconDots, IconHandStop, IconPlayerPlay } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";

import { api, ifMatch, ok } from "../../api/client";
import { keys } from "../../api/queries";
import type { Job } from "../../api/types";
import { useMay, useMe } from "../../app/session";
import { Confirm } from "../../ui/Confirm";
import { ErrorNote } from "../../ui/parts";
import { isEnded, isWaiting } from "../../ui/states";

type Asking = "cancel" | "hold" | "release" | "priority" | null;

/** What may be done with the job in its state. The server decides; this hides what it would surely refuse. */
export function JobActions({ job }: { job: Job }) {
  const { t } = useTranslation();
  const me = useMe();
  const may = useMay();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState<Asking>(null);
  const close = (): void => {
    setAsking(null);
  };
  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: keys.job(job.id) }),
      queryClient.invalidateQueries({ queryKey: keys.jobs }),
    ]);
  const act = (call: () => Promise<unknown>) => async (): Promise<void> => {
    await call();
    await refresh();
  };
  const path = { params: { path: { id: job.id } } };
  const mine = me.is_admin || job.owner.id === me.id || me.tenants.some((tenant) => tenant.role === "owner");
  if (!mine) return null;
  return (
    <>
      {!isEnded(job.state) && job.state !== "stopping" && (
        <Button
          size="xs"
          color="red"
          variant="light"
          leftSection={<IconBan size={14} aria-hidden />}
          onClick={() => {
            setAsking("cancel");
          }}
        >
          {t("job.cancel")}
        </Button>
      )}
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<IconDots size={14} aria-hidden />}>
            {t("job.more")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconHandStop size={14} aria-hidden />}
            disabled={job.state !== "pending"}
            onClick={() => {
              setAsking("hold");
            }}
          >
            {t("job.hold")}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconPlayerPlay size={14} aria-hidden />}
            disabled={job.state !== "held"}
            onClick={() => {
              setAsking("release");
            }}
          >
            {t("job.release")}
          </Menu.Item>
          <Menu.Item
            disabled={!isWaiting(job.state)}
            onClick={() => {
              setAsking("priority");
            }}
          >
            {t("job.changePriority")}
          </Menu.Item>
          {may("jobs.submit") && (
            <Menu.Item onClick={() => void navigate({ to: "/jobs/new", search: { from: job.id } })}>
              {t("job.resubmit")}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {asking === "cancel" && (
        <Confirm
          title={t("job.cancelTitle", { name: job.name })}
          body={t("jobs.cancelBody")}
          action={t("job.cancel")}
          onClose={close}
          onConfirm={act(() => ok(api.POST("/api/v1/jobs/{id}/cancel/", path)))}
        />
      )}
      {asking === "hold" && (
        <Confirm
          title={t("job.holdTitle", { name: job.name })}
          body={t("job.holdBody")}
          action={t("job.hold")}
          color="orange"
          onClose={close}
          onConfirm={act(() => ok(api.POST("/api/v1/jobs/{id}/hold/", path)))}
        />
      )}
      {asking === "release" && (
        <Confirm
          title={t("job.releaseTitle", { name: job.name })}
          body={t("job.releaseBody")}
          action={t("job.release")}
          color="pine"
          onClose={close}
          onConfirm={act(() => ok(api.POST("/api/v1/jobs/{id}/release/", path)))}
        />
      )}
      {asking === "priority" && <PriorityForm job={job} onClose={close} onDone={refresh} />}
    </>
  );
}

function PriorityForm({ job, onClose, onDone }: { job: Job; onClose: () => void; onDone: () => Promise<unknown> }) {
  const { t } = useTranslation();
  const [priority, setPriority] = useState<number | string>(job.priority);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await ok(
        api.PATCH("/api/v1/jobs/{id}/", {
          params: { path: { id: job.id } },
          headers: ifMatch(job.version),
          body: { priority: Number(priority) },
        }),
      );
      await onDone();
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("job.changePriority")}
      centered
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      <form onSubmit={(event) => void save(event)}>
        <Stack>
          <NumberInput
            label={t("job.priority")}
            description={t("job.priorityHelp")}
            min={-1000}
            max={1000}
            allowDecimal={false}
            required
            value={priority}
            onChange={setPriority}
          />
          {error !== null && <ErrorNote error={error} />}
          <Button type="submit" loading={busy}>
            {t("action.save")}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
