import { Button, Group, Modal, Stack } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";

import { ErrorNote } from "./parts";

type ConfirmProps = {
  title: string;
  body: ReactNode;
  action: string;
  color?: string;
  onClose: () => void;
  /** Resolves when done; an error is shown and the dialog stays. */
  onConfirm: () => Promise<unknown>;
};

/** Asks before something that is not easily undone; says what went wrong where it was asked. */
export function Confirm({ title, body, action, color = "red", onClose, onConfirm }: ConfirmProps) {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={title} centered closeButtonProps={{ "aria-label": t("action.close") }}>
      <Stack>
        <div>{body}</div>
        {error !== null && <ErrorNote error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("action.back")}
          </Button>
          <Button color={color} loading={busy} onClick={() => void confirm()} data-autofocus>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
