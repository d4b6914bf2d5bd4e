// What the core says of each field, by its path, once the core is there; nothing else waits for it.
class Help {
  texts = $state.raw<Record<string, string>>({});
}

export const help = new Help();
