import { useEffect, useRef } from "preact/hooks";
import type { LogItem } from "../../api/types.ts";
import { Button } from "../../components/button.tsx";
import type { Pages } from "../../state/use-pages.ts";

/** Fetches older lines when somebody comes near the end; after a search that found nothing so far, when asked to. */
export function OlderLines({ pages }: { readonly pages: Pages<LogItem> }) {
  const end = useRef<HTMLDivElement>(null);
  const { loadMore, isLoadingMore, items } = pages;
  const count = items?.length ?? 0;
  useEffect(() => {
    const element = end.current;
    if (element === null || isLoadingMore || count === 0) return undefined;
    const observer = new IntersectionObserver(
      ([seen]) => {
        if (seen?.isIntersecting) loadMore();
      },
      { rootMargin: "600px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [loadMore, isLoadingMore, count]);
  return (
    <div ref={end} class="more">
      <Button isBusy={isLoadingMore} onClick={loadMore}>
        {isLoadingMore ? "Looking further back…" : "Look further back"}
      </Button>
    </div>
  );
}
