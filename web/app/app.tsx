import { useEffect, useState } from "preact/hooks";
import { connect, connection, disconnect, restWhileHidden } from "../state/live.ts";
import { useStore } from "../state/store.ts";
import { Login } from "./login.tsx";
import { Shell } from "./shell.tsx";
import { takeLoginCode } from "./take-login-code.ts";

/** Signed in: the pages. Otherwise: how to sign in. */
export function App() {
  const state = useStore(connection);
  // Taken out of the address at once: a code must not stay in the history.
  const [code] = useState(() => takeLoginCode(location, history));
  const [isSigningIn, setSigningIn] = useState(code !== undefined);
  const isOut = isSigningIn || state === "signed out";
  useEffect(() => {
    if (isOut) return undefined;
    connect();
    const stop = restWhileHidden();
    return () => {
      stop();
      disconnect();
    };
  }, [isOut]);
  if (!isOut) return <Shell />;
  return (
    <Login
      code={code}
      onSignedIn={() => {
        setSigningIn(false);
        connection.set("connecting");
      }}
    />
  );
}
