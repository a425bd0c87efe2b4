import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import type { Job } from "../../api/types";
import { useMay } from "../../app/session";
import { CodeBlock } from "../../ui/parts";
import { toYaml } from "../submit/document";

export function DocumentTab({ job }: { job: Job }) {
  const { t } = useTranslation();
  const may = useMay();
  const text = useMemo(() => toYaml(job.document), [job.document]);
  return (
    <div className="stack">
      {may("jobs.submit") && (
        <div>
          <Button
            size="xs"
            variant="default"
            renderRoot={(props) => <Link to="/jobs/new" search={{ from: job.id }} {...props} />}
          >
            {t("job.resubmit")}
          </Button>
        </div>
      )}
      <CodeBlock text={text} label={t("job.copyDocument")} />
    </div>
  );
}
