import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { keepPageKey } from "../api/page-key.ts";
import { ApiError, postJson, sentenceOf } from "../api/request.ts";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { forgetAll } from "../state/remembered.ts";
import { Brand } from "./brand.tsx";

interface LoginProps {
  /** The one that came with the address. */
  readonly code: string | undefined;
  readonly onSignedIn: () => void;
}

/** A browser gets in with a code that the command line gives, once. */
export function Login({ code, onSignedIn }: LoginProps) {
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);

  const signIn = useCallback(
    (given: string) => {
      setBusy(true);
      setProblem(undefined);
      postJson<{ readonly page_key: string }>("/api/login", { code: codeIn(given) }).then(
        ({ page_key }) => {
          keepPageKey(page_key);
          forgetAll();
          onSignedIn();
        },
        (thrown: unknown) => {
          setBusy(false);
          setProblem(explain(thrown));
        },
      );
    },
    [onSignedIn],
  );

  const tried = useRef(false);
  useEffect(() => {
    document.title = "Sign in · Deckhand";
    if (code === undefined || tried.current) return;
    tried.current = true;
    signIn(code);
  }, [code, signIn]);

  return (
    <main class="login">
      <Brand />
      <h1>Sign in to this machine</h1>
      <p>
        Run <kbd>deckhand serve open</kbd> in a terminal: it opens this page signed in. Or type the code that it prints.
      </p>
      <form
        class="login-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() === "") setProblem("Type the code that `deckhand serve open` printed.");
          else if (!isBusy) signIn(typed);
        }}
      >
        <Field label="One-time code" error={problem} hint="A code works once, within a minute.">
          <input
            class="input mono"
            name="code"
            autoComplete="off"
            autoCapitalize="off"
            spellcheck={false}
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </Field>
        <Button kind="primary" submits isBusy={isBusy}>
          {isBusy ? "Signing in…" : "Sign in"}
        </Button>
      </form>
    </main>
  );
}

/** Somebody may have pasted the whole link. */
function codeIn(given: string): string {
  return given.trim().replace(/^.*#code=/, "");
}

function explain(thrown: unknown): string {
  if (thrown instanceof ApiError && thrown.status === 401) {
    return "That code is not valid any more: run `deckhand serve open` for a new one.";
  }
  return sentenceOf(thrown);
}
