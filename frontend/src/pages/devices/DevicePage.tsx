import { getRouteApi } from "@tanstack/react-router";

import { changed } from "../../app/search";
import { DeviceDetail } from "./DeviceDetail";

const route = getRouteApi("/shell/devices/$id");

export function DevicePage() {
  const { id } = route.useParams();
  const { part } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <div className="page scrolls">
      <DeviceDetail
        key={id}
        id={id}
        part={part}
        onPart={(next) => {
          void navigate({ search: (old) => changed<Record<string, unknown>>(old, { part: next }), replace: true });
        }}
      />
    </div>
  );
}
