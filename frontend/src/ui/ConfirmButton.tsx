import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";

import { Confirm } from "./Confirm";

type Props = {
  action: string;
  title: string;
  body: ReactNode;
  color?: string;
  /** What cannot be undone looks like it already before it is asked about. */
  danger?: boolean;
  onConfirm: () => Promise<unknown>;
};

/** A button for what is asked about before it is done. */
export function ConfirmButton({ action, danger = false, ...asked }: Props) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button
        size="xs"
        {...(danger ? { variant: "light", color: "red" } : { variant: "default" })}
        onClick={() => {
          setAsking(true);
        }}
      >
        {action}
      </Button>
      {asking && (
        <Confirm
          {...asked}
          action={action}
          onClose={() => {
            setAsking(false);
          }}
        />
      )}
    </>
  );
}
