// Imported before everything else by each process and thread of Weft: what strangers call things never becomes a property of all objects.
Object.preventExtensions(Object.prototype);
