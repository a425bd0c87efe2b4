import { useTranslation } from "react-i18next";

import type { Job } from "../api/types";
import { useFormats } from "./format";

type Group = Job["document"]["groups"][number];

/** What a job asks for, in one line: groups joined by a plus. */
export function Asked({ job }: { job: Job }) {
  const describe = useGroupText();
  const text = job.document.groups.map(describe).join(" + ");
  return (
    <span className="num clip" title={text}>
      {text}
    </span>
  );
}

function useGroupText(): (group: Group) => string {
  const { t } = useTranslation();
  const formats = useFormats();
  return (group) => {
    const { request } = group;
    const devices = request?.devices ?? 1;
    const memory = request?.selector?.[0]?.memory_mib ?? request?.memory_mib ?? null;
    const parts = [
      ...(request?.cores ? [formats.percent(request.cores)] : []),
      ...(memory !== null ? [`${formats.gib(memory)} GiB`] : []),
      ...(memory === null && request?.memory_percent
        ? [t("ask.memoryShare", { share: formats.percent(request.memory_percent) })]
        : []),
    ];
    const share = parts.join(" · ");
    const each =
      devices === 0
        ? t("ask.cpu", { cores: (request?.cpu_millis ?? 0) / 1000 })
        : share === ""
          ? t("ask.cards", { count: devices })
          : devices === 1
            ? share
            : `${String(devices)} × (${share})`;
    return group.replicas === 1
      ? each
      : `${String(group.replicas)} × ${each.includes("·") && devices === 1 ? `(${each})` : each}`;
  };
}
