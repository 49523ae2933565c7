/** What to do where a proxy is configured: it resolves names itself, so no address can be checked here. */
export type ProxySetting = "refuse" | "trust";

export type ProxyDecision =
  | { readonly kind: "direct" }
  /** The check of the address is the proxy's; say so wherever the result is shown. */
  | { readonly kind: "proxy"; readonly proxy: string; readonly variable: string }
  | { readonly kind: "refused"; readonly reason: string };

/** Whether this URL would go through a proxy of the environment, and whether it may. */
export function decideProxy(
  url: URL,
  env: Readonly<Record<string, string | undefined>>,
  setting: ProxySetting,
): ProxyDecision {
  const names = url.protocol === "https:" ? ["https_proxy", "all_proxy"] : ["http_proxy", "all_proxy"];
  const variable = names.flatMap((name) => [name, name.toUpperCase()]).find((name) => env[name]);
  if (variable === undefined || isExempt(url, env["no_proxy"] || env["NO_PROXY"] || "")) return { kind: "direct" };
  if (setting === "trust") return { kind: "proxy", proxy: env[variable]!, variable };
  const reason = `${variable} names a proxy, which would resolve ${url.hostname} itself, so its address can't be checked here. Exempt the host in NO_PROXY, or configure that the check is the proxy's.`;
  return { kind: "refused", reason };
}

/** NO_PROXY: `*`, `example.com` and `.example.com` (with everything below), `host:port`. */
function isExempt(url: URL, list: string): boolean {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === "*") return true;
      const [, name = "", given] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      const suffix = name.replace(/^\*?\./, "");
      return (given ?? port) === port && (url.hostname === suffix || url.hostname.endsWith(`.${suffix}`));
    });
}
