import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { presentModelsQuery } from "../../api/queries";

/** The device classes of which the pool has devices now. */
export function usePresentClasses(): ReadonlySet<string> {
  const { data } = useQuery(presentModelsQuery);
  return useMemo(() => new Set((data ?? []).map((model) => model.device_class)), [data]);
}
