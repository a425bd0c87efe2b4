import { getRouteApi } from "@tanstack/react-router";

import { DeviceDetail } from "./DeviceDetail";

const route = getRouteApi("/shell/devices/$id");

export function DevicePage() {
  const { id } = route.useParams();
  return (
    <div className="page scrolls">
      <DeviceDetail key={id} id={id} />
    </div>
  );
}
