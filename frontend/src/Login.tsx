import { type FormEvent, useState } from "react";
import { type Session, send } from "./api";
import { message } from "./use";

/** Asks for the token where the address did not have it. */
export function Login({ said, done }: { said: string; done: (session: Session) => void }) {
  const [error, setError] = useState(said);
  const enter = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get("token") ?? "").trim();
    try {
      done(await send<Session>("/session", { token }));
    } catch (failed) {
      setError(message(failed));
    }
  };
  return (
    <form className="login" onSubmit={enter}>
      <h1>This library is locked</h1>
      <p role="alert">{error}</p>
      <label>Token <input name="token" type="password" autoComplete="off" required /></label>
      <button type="submit" className="main">Open</button>
    </form>
  );
}
