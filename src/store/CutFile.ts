/**
 * Whether bytes are missing at the end of a database's file or of its write-ahead log, as its own headers tell.
 */
import * as fs from "node:fs"
import * as os from "node:os"

/** The bytes of a page, as both headers write it: 1 stands for 65,536. */
const pageSizeOf = (written: number): number => written === 1 ? 65_536 : written

/** The bytes that a database is to have, by its first 100. */
export const sizeOf = (header: Buffer): number => header.readUInt32BE(28) * pageSizeOf(header.readUInt16BE(16))

/** The first bytes of a file, zeros where it has fewer; `undefined` where it cannot be read. */
const beginningOf = (file: string, length: number): Buffer | undefined => {
  const bytes = Buffer.alloc(length)
  try {
    const descriptor = fs.openSync(file, "r")
    fs.readSync(descriptor, bytes, 0, length, 0)
    fs.closeSync(descriptor)
    return bytes
  } catch {
    return undefined
  }
}

/** Whether the file has fewer bytes than its first page says, or no first page. Not so while SQLite makes it longer. */
export const isCut = (file: string, size: bigint): boolean => {
  const header = beginningOf(file, 100)
  return header !== undefined && (size < header.length || Number(size) < sizeOf(header))
}

/** The bytes of a log's head, and of that of each frame, which holds one page. */
const head = 32
const frameHead = 24

/** The bytes that the log is to have, by the index that all who have it open share. */
const loggedBytes = (file: string): number => {
  const index = beginningOf(`${file}-shm`, 20)
  // It is in the order of this processor's bytes; its 13th says whether it is in use.
  if (index === undefined || index[12] !== 1) return 0
  const little = os.endianness() === "LE"
  const frames = little ? index.readUInt32LE(16) : index.readUInt32BE(16)
  const pageSize = pageSizeOf(little ? index.readUInt16LE(14) : index.readUInt16BE(14))
  return frames === 0 ? 0 : head + frames * (frameHead + pageSize)
}

/** Whether the log has fewer bytes than its index says. */
export const isLogCut = (file: string): boolean => {
  const isShort = () => loggedBytes(file) > (fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0)
  // Between its two looks another process may have copied the log, and emptied it.
  return isShort() && isShort()
}
