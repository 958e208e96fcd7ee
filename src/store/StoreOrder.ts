/**
 * What a store asks of its writing thread, and what comes back.
 */
import * as Schema from "effect/Schema"
import { NotOtlp, TooManyValues } from "../otlp/OtlpError.ts"
import type { SpanRow } from "../otlp/SpanRow.ts"
import type { Encoding } from "../otlp/TraceRequest.ts"
import { StoreCorrupt, StoreMissing, StoreOutdated, StoreTooNew, StoreUnavailable } from "./StoreError.ts"
import type { Appended, DropLimits, Taken } from "./TraceStore.ts"

/** The kinds of orders: what each brings, and what it answers. */
export interface StoreOrders {
  readonly take: { readonly asked: { readonly body: Uint8Array; readonly encoding: Encoding }; readonly answer: Taken }
  readonly append: { readonly asked: ReadonlyArray<SpanRow>; readonly answer: Appended }
  readonly drop: { readonly asked: { readonly limits: DropLimits; readonly atMost: number }; readonly answer: number }
}

/** The name of an order. */
export type Kind = keyof StoreOrders

/** An order with its number, that the file is not read any more, or the last one. */
export type StoreOrder =
  | {
    readonly [K in Kind]: { readonly kind: K; readonly number: number; readonly asked: StoreOrders[K]["asked"] }
  }[Kind]
  | { readonly kind: "left" }
  | { readonly kind: "close" }

/**
 * The answer to an order; number 0 tells that the store is open, or why not. `leave` asks that the file is not read until
 * the next answer: as long as it is open somewhere in the process, SQLite keeps what was deleted beside it.
 */
export type StoreReply =
  | { readonly leave: true }
  | { readonly number: number; readonly answer: unknown }
  | { readonly number: number; readonly error: typeof StoreFailure.Encoded }

/** What comes back as a class of its own on the other side. */
export const StoreFailure = Schema.Union([
  NotOtlp,
  TooManyValues,
  StoreUnavailable,
  StoreCorrupt,
  StoreTooNew,
  StoreMissing,
  StoreOutdated
])

/** Data of the thread. */
export interface StoreThreadData {
  readonly path: string
}
