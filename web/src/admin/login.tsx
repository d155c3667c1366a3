import { useEffect, useRef } from "preact/hooks";
import { ErrorLine, useWorkWith } from "../ui/work";
import { admin, session } from "./api";
import { sentence } from "./words";

/** The form to log in. */
export function Login() {
  const { busy, error, run } = useWorkWith(sentence);
  const password = useRef<HTMLInputElement>(null);
  useEffect(() => password.current?.focus(), []);
  const logIn = async (form: HTMLFormElement) => {
    const given = new FormData(form);
    const of = (name: string) => String(given.get(name));
    session.value = await admin.logIn({ name: of("name").trim(), password: of("password") });
  };
  return (
    <form
      class="panel admin-login"
      onSubmit={(e) => {
        e.preventDefault();
        const form = e.currentTarget;
        void run(() => logIn(form));
      }}
    >
      <h1>fogkeep admin</h1>
      <p class="dim">
        The first start printed a password for “admin”, or wrote it to admin-password in the data folder.
      </p>
      <label for="name">Name</label>
      <input id="name" name="name" type="text" autocomplete="username" defaultValue="admin" required />
      <label for="password">Password</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        ref={password}
      />
      <ErrorLine text={error.value || session.value?.note || ""} />
      <button type="submit" class="primary" disabled={busy.value}>
        Log in
      </button>
    </form>
  );
}
