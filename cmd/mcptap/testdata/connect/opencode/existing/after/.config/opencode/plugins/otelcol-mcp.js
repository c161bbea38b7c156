// Written by mcptap connect. To remove this file: mcptap connect opencode --undo
