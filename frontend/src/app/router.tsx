import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  retainSearchParams,
} from "@tanstack/react-router";

import { meQuery } from "../api/queries";
import { NotFoundPage, ErrorPage } from "./ErrorPage";
import * as search from "./search";
import { Shell } from "./Shell";

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  validateSearch: search.scopeSearch,
  search: { middlewares: [retainSearchParams([...search.SCOPE_KEYS])] },
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: search.signInSearch,
  component: lazyRouteComponent(() => import("../pages/account/SignIn"), "SignIn"),
});

const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: async ({ context, location }) => {
    const me = await context.queryClient.ensureQueryData(meQuery);
    if (me === null) throw redirect({ to: "/sign-in", search: { next: location.href } });
  },
  component: Shell,
});

const overview = createRoute({
  getParentRoute: () => shell,
  path: "/",
  component: lazyRouteComponent(() => import("../pages/overview/Overview"), "Overview"),
});
const nodes = createRoute({
  getParentRoute: () => shell,
  path: "/nodes",
  validateSearch: search.nodesSearch,
  component: lazyRouteComponent(() => import("../pages/nodes/Nodes"), "Nodes"),
});
const node = createRoute({
  getParentRoute: () => shell,
  path: "/nodes/$id",
  component: lazyRouteComponent(() => import("../pages/nodes/NodePage"), "NodePage"),
});
const devices = createRoute({
  getParentRoute: () => shell,
  path: "/devices",
  validateSearch: search.devicesSearch,
  component: lazyRouteComponent(() => import("../pages/devices/Devices"), "Devices"),
});
const device = createRoute({
  getParentRoute: () => shell,
  path: "/devices/$id",
  validateSearch: search.deviceSearch,
  component: lazyRouteComponent(() => import("../pages/devices/DevicePage"), "DevicePage"),
});
const jobs = createRoute({
  getParentRoute: () => shell,
  path: "/jobs",
  validateSearch: search.jobsSearch,
  component: lazyRouteComponent(() => import("../pages/jobs/Jobs"), "Jobs"),
});
const newJob = createRoute({
  getParentRoute: () => shell,
  path: "/jobs/new",
  validateSearch: search.newJobSearch,
  component: lazyRouteComponent(() => import("../pages/submit/NewJob"), "NewJob"),
});
const job = createRoute({
  getParentRoute: () => shell,
  path: "/jobs/$id",
  validateSearch: search.jobSearch,
  component: lazyRouteComponent(() => import("../pages/jobs/JobPage"), "JobPage"),
});
const queues = createRoute({
  getParentRoute: () => shell,
  path: "/queues",
  validateSearch: search.queuesSearch,
  component: lazyRouteComponent(() => import("../pages/queues/Queues"), "Queues"),
});
const tokens = createRoute({
  getParentRoute: () => shell,
  path: "/tokens",
  component: lazyRouteComponent(() => import("../pages/account/Tokens"), "Tokens"),
});
const enrolment = createRoute({
  getParentRoute: () => shell,
  path: "/enrolment",
  component: lazyRouteComponent(() => import("../pages/enrolment/Enrolment"), "Enrolment"),
});

const routeTree = root.addChildren([
  signIn,
  shell.addChildren([overview, nodes, node, devices, device, jobs, newJob, job, queues, tokens, enrolment]),
]);

export const makeRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: "intent",
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  });

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
