import { Archive } from './archive'

let archive: Promise<Archive> | undefined

/** Answers every later request from an exported session. */
export function useArchive(base64: string): void {
  archive = Archive.read(base64)
}

/** Reports whether there is a session and no gateway. */
export const isArchive = () => archive !== undefined

export const base = () => new URL('../', self.location.href)

/** Asks the gateway, by a path below its own. */
export async function request(path: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Response> {
  return archive ? (await archive).answer(path, init.headers) : fetch(new URL(path, base()), init)
}
