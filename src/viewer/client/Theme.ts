/** Light, dark, or what the system says. */

const key = "toolspan:theme"
const themes = ["system", "light", "dark"] as const
/** The reader's choice. */
export type Theme = typeof themes[number]

const isTheme = (value: string | null): value is Theme => themes.some((theme) => theme === value)

/** The choice of the last visit. */
export const chosen = (): Theme => {
  const kept = localStorage.getItem(key)
  return isTheme(kept) ? kept : "system"
}

/** Shows the page in this theme, now and at the next visit. */
export const choose = (theme: Theme): void => {
  localStorage.setItem(key, theme)
  show(theme)
}

/** Shows the page in this theme. */
export const show = (theme: Theme): void => {
  if (theme === "system") document.documentElement.removeAttribute("data-theme")
  else document.documentElement.dataset["theme"] = theme
}

/** The next one, round and round. */
export const after = (theme: Theme): Theme => themes[(themes.indexOf(theme) + 1) % themes.length]!
