import { useEffect, useState } from 'react';
import { problemFrom, request, type RequestProblem } from './request.js';

export interface Requested<T> {
  readonly data?: T | undefined;
  readonly problem?: RequestProblem | undefined;
}

const NOTHING_YET: Requested<never> = {};

/** What the server answers to a path; nothing until it has. */
export function useRequest<T>(path: string): Requested<T> {
  const [answer, setAnswer] = useState<Requested<T> & { readonly path: string }>({ path: '' });
  useEffect(() => {
    let isWanted = true;
    const keep = (requested: Requested<T>) => {
      if (isWanted) setAnswer({ ...requested, path });
    };
    request<T>(path).then(
      (data) => keep({ data }),
      (thrown: unknown) => keep({ problem: problemFrom(thrown) }),
    );
    return () => {
      isWanted = false;
    };
  }, [path]);
  return answer.path === path ? answer : NOTHING_YET;
}
