def read(path):
    return open(path).read()


print(read("a"))
