import { ActionIcon, Modal, Stack, TextInput, Tooltip } from "@mantine/core";
import { IconStar, IconStarFilled, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import type { SavedView } from "../api/types";
import { Confirm } from "../ui/Confirm";
import { ErrorNote } from "../ui/parts";
import { MOST_LETTERS } from "./SaveView";
import type { List } from "./useList";
import { useViewWrites } from "./views";

export function ManageViews<Row>({ list, onClose }: { list: List<Row>; onClose: () => void }) {
  const { t } = useTranslation();
  const writes = useViewWrites();
  const [error, setError] = useState<unknown>(null);
  const [deleting, setDeleting] = useState<SavedView | null>(null);
  const views = list.views ?? [];
  const run = (action: Promise<unknown>): void => {
    setError(null);
    action.catch(setError);
  };
  return (
    <>
      <Modal
        opened={deleting === null}
        onClose={onClose}
        title={t("views.manage")}
        closeButtonProps={{ "aria-label": t("action.close") }}
      >
        <Stack gap="xs">
          {views.length === 0 && <p className="dim">{t("views.none")}</p>}
          {views.map((view) => (
            <Row
              key={view.id}
              view={view}
              onRename={(name) => {
                run(writes.change(view.id, { name }));
              }}
              onDefault={() => {
                run(writes.change(view.id, { is_default: view.is_default !== true }));
              }}
              onDelete={() => {
                setDeleting(view);
              }}
            />
          ))}
          {error !== null && <ErrorNote error={error} />}
        </Stack>
      </Modal>
      {deleting !== null && (
        <Confirm
          title={t("views.deleteTitle", { name: deleting.name })}
          body={t("views.deleteBody")}
          action={t("views.delete")}
          onClose={() => {
            setDeleting(null);
          }}
          onConfirm={() => writes.remove(deleting.id)}
        />
      )}
    </>
  );
}

type RowProps = { view: SavedView; onRename: (name: string) => void; onDefault: () => void; onDelete: () => void };

function Row({ view, onRename, onDefault, onDelete }: RowProps) {
  const { t } = useTranslation();
  const [name, setName] = useState(view.name);
  const rename = (): void => {
    const next = name.trim();
    if (next === "") setName(view.name);
    else if (next !== view.name) onRename(next);
  };
  const star = t(view.is_default ? "views.dropDefault" : "views.makeDefault");
  return (
    <div className="viewrow">
      <TextInput
        size="xs"
        aria-label={t("views.rename", { name: view.name })}
        maxLength={MOST_LETTERS}
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value);
        }}
        onBlur={rename}
        onKeyDown={(event) => {
          if (event.key === "Enter") rename();
        }}
      />
      <Tooltip label={star}>
        <ActionIcon
          variant="subtle"
          color={view.is_default ? "yellow" : "gray"}
          aria-label={`${view.name}: ${star}`}
          aria-pressed={view.is_default === true}
          onClick={onDefault}
        >
          {view.is_default ? <IconStarFilled size={16} aria-hidden /> : <IconStar size={16} aria-hidden />}
        </ActionIcon>
      </Tooltip>
      <ActionIcon
        variant="subtle"
        color="red"
        aria-label={t("views.deleteNamed", { name: view.name })}
        onClick={onDelete}
      >
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}
