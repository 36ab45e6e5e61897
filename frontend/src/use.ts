// Small hooks that several screens share.
import { useCallback, useEffect, useRef, useState } from "react";
import { Refused } from "./api";

export interface Loaded<T> { value: T | null; error: string | null; loading: boolean; again: () => void }

/** What a call gives, asked anew when `key` changes; the last answer stays until the next one is there. */
export function useLoaded<T>(key: string | null, load: () => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ value: T | null; error: string | null; loading: boolean }>({ value: null, error: null, loading: key !== null });
  const [turn, setTurn] = useState(0);
  const loader = useRef(load);
  loader.current = load;
  useEffect(() => {
    if (key === null) return;
    let current = true;
    setState((before) => ({ ...before, loading: true }));
    loader.current().then(
      (value) => current && setState({ value, error: null, loading: false }),
      (error: Error) => current && setState({ value: null, error: message(error), loading: false }),
    );
    return () => {
      current = false;
    };
  }, [key, turn]);
  return { ...state, again: useCallback(() => setTurn((before) => before + 1), []) };
}

export const message = (error: unknown): string => (error instanceof Refused || error instanceof Error ? error.message : String(error));

/** A value that is kept in this browser. */
export function useKept(name: string, first: string): [string, (value: string) => void] {
  const [value, setValue] = useState(() => localStorage.getItem(`tabellion.${name}`) ?? first);
  return [
    value,
    useCallback((next: string) => {
      localStorage.setItem(`tabellion.${name}`, next);
      setValue(next);
    }, [name]),
  ];
}

/** A value that follows another one once it has rested. */
export function useRested<T>(value: T, wait: number): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), wait);
    return () => clearTimeout(timer);
  }, [value, wait]);
  return rested;
}
