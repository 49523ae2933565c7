import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Empty, Loading, Notice } from "../components/notice.tsx";
import { Page } from "../components/page.tsx";
import { listen } from "../state/live.ts";
import { matchRoute } from "../router/match-route.ts";
import { Link } from "../router/link.tsx";
import { routes, type PageParams } from "./routes.tsx";

/** The page of an address, fetched first where it is a file of its own. */
export function CurrentPage({ path }: { readonly path: string }) {
  for (const route of routes) {
    const params = matchRoute(route.pattern, path);
    if (params === undefined) continue;
    if (route.isLazy) return <LazyPage key={route.area} load={route.page as Load} params={params} />;
    const Shown = route.page as ComponentType<PageParams>;
    return <Shown key={route.area + (route.area === "/" ? path : "")} params={params} />;
  }
  return (
    <Page title="Not here">
      <Empty title="There is no such page.">
        <Link href="/">See what runs now</Link>
      </Empty>
    </Page>
  );
}

/** Which entry of the navigation an address belongs to. */
export function areaOf(path: string): string | undefined {
  return routes.find(({ pattern }) => matchRoute(pattern, path) !== undefined)?.area;
}

type Load = () => Promise<ComponentType<PageParams>>;

/** What was loaded before is there at once: going back finds the page as long as it was, and so the place in it. */
const known = new Map<Load, ComponentType<PageParams>>();

function LazyPage({ load, params }: { readonly load: Load } & PageParams) {
  const [loaded, setLoaded] = useState<ComponentType<PageParams> | "failed" | undefined>(() => known.get(load));
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (loaded !== "failed") return undefined;
    // It was asked for while the daemon was away.
    return listen("changed", (topic) => {
      if (topic === null) setTries((before) => before + 1);
    });
  }, [loaded]);
  useEffect(() => {
    load().then(
      (page) => {
        known.set(load, page);
        setLoaded(() => page);
      },
      () => setLoaded("failed"),
    );
  }, [load, tries]);
  if (loaded === undefined) return <Loading what="the page" />;
  if (loaded === "failed") {
    return (
      <Notice tone="bad">
        A part of the dashboard could not be loaded. Load the page anew; the daemon may have been updated.
      </Notice>
    );
  }
  const Shown = loaded;
  return <Shown params={params} />;
}
